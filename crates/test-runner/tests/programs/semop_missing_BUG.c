#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
#include <sys/ipc.h>
#include <sys/sem.h>
int s,x;void*w(void*a){struct sembuf b={0,-1,0};semop(s,&b,1);x++;return 0;}
int main(){s=semget(IPC_PRIVATE,1,0600);if(s<0)return 1;semctl(s,0,SETVAL,2);pthread_t t,u;pthread_create(&t,0,w,0);pthread_create(&u,0,w,0);pthread_join(t,0);pthread_join(u,0);semctl(s,0,IPC_RMID);return 0;}
